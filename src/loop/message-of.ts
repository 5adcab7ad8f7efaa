/** The message of a thrown value of any type. */
export const messageOf = (error: unknown): string => {
  const said = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  if (typeof said === 'string') return said;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
};
