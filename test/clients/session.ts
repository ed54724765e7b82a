import type { KubectlShell, Outcome } from './kubectl-shell.ts';

/** The lines of a session that start with `$ ` are commands; what follows each is its output. */
const commandsOf = (session: string): readonly string[] =>
  [...session.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);

/** Values that differ in every run; only their kind is compared. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'DATE'],
  [/(resourceVersion"?: )"\d+"/gi, '$1"RV"'],
  [/(Resource Version:) +\d+/g, '$1  RV'],
  [/(\(x\d+ over )(\d+[ydhms])+\)/g, '$1AGE)'],
  [/\b(\d+[ydhms])+( \((\d+[ydhms])+ ago\))?(?=\s|$)/gm, 'AGE'],
  [/\b10\.(0\.0|(9[6-9]|10\d|11[01])\.\d+)\.\d+/g, 'IP'],
  // Before the ports: that of the server may be among those of nodes.
  [/https?:\/\/[\w.]+:\d+/g, 'URL'],
  [/([: ])3[0-2]\d{3}(?=\b|\/TCP)/g, '$1PORT'],
  [/\/\S*kubectl-edit-\d+/g, 'kubectl-edit'],
  // kubectl's own log: it complains of a watch when time is up just as that begins.
  [/^[EIW]\d{4} .*\n/gm, ''],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  // Columns are as wide as what is in them, which a minute more changes.
  [/(\S) {2,}/g, '$1  '],
  [/[ \t]+$/gm, ''],
];

const steady = (text: string): string =>
  VOLATILE.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);

const outputText = ({ code, stdout, stderr }: Outcome): string =>
  [stdout, stderr, code === 0 ? '' : `(exit ${code})`]
    .map((part) => steady(part).trimEnd())
    .filter((part) => part !== '')
    .join('\n');

/** Plays the commands of a session one after another, and tells what a user sees now. */
export const playSession = async (shell: KubectlShell, session: string): Promise<string> => {
  let played = '';
  for (const command of commandsOf(session)) {
    played += `${`$ ${command}\n${outputText(await shell.run(command))}`.trimEnd()}\n`;
  }
  return played;
};
