const fail = (): never => {
  throw new Error('A trap threw.');
};

const traps = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'] as const;

/** Errors and objects that throw when code reads them, and errors with such a cause. */
export const unreadableValues = (): unknown[] => [
  ...traps.flatMap((trap) => [new Error('x'), {}].map((thrown) => new Proxy(thrown, { [trap]: fail }))),
  new Error('x', { cause: new Proxy(new Error('y'), { get: fail }) }),
  new AggregateError([new Proxy(new Error('y'), { get: fail })]),
];
