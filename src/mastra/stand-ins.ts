type StandIns<T> = Readonly<Record<string, (target: T) => unknown>>;

/** A proxy of an object that reads some properties from stand-ins. Methods are bound to the object, so that private fields work. */
export const withStandIns = <T extends object>(object: T, standIns: StandIns<T>): T =>
  new Proxy(object, {
    get: (target, name) => {
      const standIn = typeof name === 'string' && Object.hasOwn(standIns, name) ? standIns[name] : undefined;
      if (standIn) return standIn(target);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
