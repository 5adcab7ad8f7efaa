import { InterlockError } from '../errors.js';
import { isRecord, computed } from '../phase/plain-data.js';

/** Creates read-only views. Values are not copied; private state of a class is shown as it is. */
export const createReadOnlyViews = () => {
  const proxies = new WeakMap<object, object>();
  /** A read-only view of the value. A write raises `ai-sdk/frozen-snapshot` with the path of the changed field. */
  const view = <T>(value: T, path: string): T => (Array.isArray(value) || isRecord(value) ? (shield(value, path) as T) : value);
  const shield = <T extends object>(value: T, path: string, viewOf = view): T => {
    const reject = (name: string | symbol): never => {
      throw new InterlockError('ai-sdk/frozen-snapshot', { path: `${path}.${String(name)}` });
    };
    const proxy = new Proxy<T>(value, {
      get: (target, name) => {
        const field: unknown = Reflect.get(target, name);
        return isFixed(target, name) ? field : viewOf(field, `${path}.${String(name)}`);
      },
      set: (_target, name) => reject(name),
      deleteProperty: (_target, name) => reject(name),
      defineProperty: (_target, name) => reject(name),
      setPrototypeOf: () => reject('prototype'),
    });
    proxies.set(proxy, value);
    return proxy;
  };
  /** A value with the originals in place of the views in it. */
  const unwrap = <T>(value: T): T => {
    const own = typeof value === 'object' && value !== null ? proxies.get(value) : undefined;
    if (own) return own as T; // the original of the view
    if (Array.isArray(value)) return value.map(unwrap) as T;
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unwrap(field)])) as T;
  };
  /** The same for records with a class of their own, such as the AI SDK's steps. */
  const viewEach = <T extends object>(values: readonly T[], path: string): T[] => {
    const known = new WeakMap<object, object>();
    const viewOf = <F>(field: F, at: string): F => {
      if (typeof field !== 'object' || field === null) return view(field, at);
      return computed(known, field, () => shield(field, at)) as F; // its view
    };
    return shield([...values], path, viewOf); // those of now
  };
  return { view, viewEach, unwrap };
};

/** A view of a frozen object must show that object's own fields. */
const isFixed = (target: object, name: string | symbol): boolean => {
  const property = Reflect.getOwnPropertyDescriptor(target, name);
  return property !== undefined && !property.configurable && property.writable === false;
};
