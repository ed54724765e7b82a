import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Programs that create namespaces come from here, regardless of PATH. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** The folder of an installed program, or undefined. */
export const systemTool = (name: string): string | undefined =>
  SYSTEM_PATH.split(':')
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
