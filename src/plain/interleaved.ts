/** Reorders the messages of a scope among the other messages, which keep their positions. */
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
