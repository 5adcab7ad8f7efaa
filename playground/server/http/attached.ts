import type { Context } from 'hono';

/** A file's name with only characters that are valid on any system. */
export const plainName = (name: string): string => name.replaceAll(/[^\w.-]/g, '_');

/** Makes the browser save the response as a file. */
export const attached = (context: Context, name: string): void =>
  context.header('Content-Disposition', `attachment; filename="${plainName(name)}"`);
