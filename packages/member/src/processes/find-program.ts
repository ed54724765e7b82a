/**
 * Resolves a command to a file, seen from a folder. Its source is also evaluated by Node.js inside of a sandbox, so it
 * uses nothing of this module.
 */
export const findProgram = (command: string, path: string, folder: string): string => {
  const { accessSync, constants, statSync } = process.getBuiltinModule('node:fs');
  const { resolve } = process.getBuiltinModule('node:path');
  const isProgram = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  };
  const isPath = command.includes('/');
  const files = isPath
    ? [resolve(folder, command)]
    : path.split(':').map((entry) => resolve(folder, entry, command));
  const file = files.find(isProgram);
  if (file !== undefined) return file;
  throw new Error(
    isPath ? `${command} is no program that can be run here` : `no program ${command} in ${path}`,
  );
};
