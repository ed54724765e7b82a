import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { helmBinary, kubectlBinary } from '../clients/client-binaries.ts';

/** Files of a checkout that a reader of a page has at hand. */
const FROM_CHECKOUT = [
  'README.md',
  'bench',
  'deploy',
  'docs',
  'examples',
  'node_modules',
  'package.json',
  'packages',
  'test',
  'tools',
  'tsconfig.json',
];

/**
 * The command as a reader uses it in a terminal of its own: what runs until it is stopped goes to the
 * background as soon as it is at work, on a free port, and ends with the page.
 */
const launcher = (root: string, folder: string): string => `#!/usr/bin/env bash
set -euo pipefail
free=()
case "\${1:-}" in
  up) free=(--port 0) ;;
  agent | controllers | rest | scheduler) ;;
  *) exec '${root}/perigee' "$@" ;;
esac
for word in "$@"; do case "$word" in --help | -h) exec '${root}/perigee' "$@" ;; esac; done
log=$(mktemp '${folder}/running-XXXXXX.log')
# The reader is done with the terminal: nobody waits for its output.
'${root}/perigee' "$@" "\${free[@]}" >"$log" 2>&1 </dev/null &
echo $! >>'${folder}/running.pids'
for _ in $(seq 600); do
  if grep -qE 'is up|is at work|are at work|listening' "$log"; then cat "$log"; exit 0; fi
  kill -0 $! 2>/dev/null || break
  sleep 0.05
done
cat "$log" >&2
exit 1
`;

export interface PageFolder extends Disposable {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A folder that looks like a checkout, with the programs that pages use. */
export const openPageFolder = (
  root: string,
  files: { readonly [name: string]: string },
): PageFolder => {
  const path = mkdtempSync(join(tmpdir(), 'perigee-page-'));
  for (const name of FROM_CHECKOUT) symlinkSync(join(root, name), join(path, name));
  const bin = join(path, 'bin');
  mkdirSync(bin);
  for (const { path: program } of [kubectlBinary(), helmBinary()]) {
    if (program !== '') symlinkSync(program, join(bin, program.split('/').at(-1) as string));
  }
  symlinkSync(process.execPath, join(bin, 'node'));
  writeFileSync(join(path, 'perigee'), launcher(root, path));
  chmodSync(join(path, 'perigee'), 0o755);
  symlinkSync(join(path, 'perigee'), join(bin, 'perigee'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: path,
    NO_COLOR: '1',
    // A reader has installed the SDK; here it is not built.
    NODE_OPTIONS: '--conditions=perigee-source',
  };
  for (const name of ['KUBECONFIG', 'NODE_TEST_CONTEXT']) delete env[name];
  return { path, env, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};
