import { build } from 'esbuild';

const ROOT = new URL('..', import.meta.url).pathname;

/** A script for browsers that sets the global `name` to what the modules export; throws when one of them needs Node.js. */
export const bundleForBrowser = async (
  name: string,
  modules: readonly string[],
): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((module) => `export * from ${JSON.stringify(module)};`).join('\n'),
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: name,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('\n');
};
