/** The messages of a scope in their new order among those that are not in it, which stay where they are. */
export const interleaved = <Message extends { readonly id: string }>(
  all: readonly Message[],
  wanted: readonly Message[],
  inScope: ReadonlySet<string>,
): Message[] => {
  const places = new Map(wanted.map(({ id }, index) => [id, index]));
  let done = 0;
  const messages = all.flatMap((message) => {
    const place = places.get(message.id);
    if (place === undefined) return inScope.has(message.id) ? [] : [message];
    const from = done;
    done = Math.max(done, place + 1);
    return wanted.slice(from, done);
  });
  return [...messages, ...wanted.slice(done)];
};
