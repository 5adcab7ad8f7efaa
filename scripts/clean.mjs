/** Removes the build output, so that a renamed file leaves nothing behind. */
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
