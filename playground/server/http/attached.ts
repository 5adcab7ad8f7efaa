import type { Context } from 'hono';

/** A file's name with characters that any system takes. */
export const plainName = (name: string): string => name.replaceAll(/[^\w.-]/g, '_');

/** A page is given a file of its own to save. */
export const attached = (context: Context, name: string): void =>
  context.header('Content-Disposition', `attachment; filename="${plainName(name)}"`);
