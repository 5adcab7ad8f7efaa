import { useEffect, useState, type ComponentType, type ReactNode } from 'react';

/** A component whose code is loaded with `request`, or when it is shown. React would keep the fallback of a `lazy` one for 0.3 s. */
export const onDemand = <P extends object>(load: () => Promise<ComponentType<P>>, fallback: ReactNode) => {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const request = (): Promise<ComponentType<P>> => (loading ??= load().then((found) => (loaded = found)));
  const OnDemand = (props: P) => {
    const [Found, setFound] = useState(() => loaded);
    useEffect(() => void request().then((found) => setFound(() => found)), []);
    return Found ? <Found {...props} /> : fallback;
  };
  return Object.assign(OnDemand, { request });
};
