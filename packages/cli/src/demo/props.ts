import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAYS = 24;
const LINES_A_DAY = 40_000;
const TURBINES = 16;

/** Synthetic samples of one day of a wind farm: turbine, power, second. Deterministic. */
const dayOf = (day: number): string => {
  const lines = Array.from({ length: LINES_A_DAY }, (_, at) => {
    const power = ((at * 31 + day * 17) % 1000) / 10;
    return `turbine${(at * 7 + day) % TURBINES},${power},${at}\n`;
  });
  return lines.join('');
};

/** Writes the demo's samples, some twenty megabytes of real bytes. */
export const writeSamples = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (let day = 1; day <= DAYS; day += 1) {
    writeFileSync(join(folder, `day${String(day).padStart(2, '0')}.csv`), dayOf(day));
  }
};

/** The sample folder that the example YAML names. */
const EXAMPLE_FOLDER = '/tmp/samples';
const PROCESS = 'metadata: { name: prepare, namespace: default,';
const PLAYED = `${PROCESS} annotations: { flows.perigee.io/simulate: "true" },`;

/** Copies the demo's YAML with the sample folder of this machine; scripts are simulated where none can run. */
export const writeYaml = (
  examples: string,
  folder: string,
  { samples, runsScripts }: { readonly samples: string; readonly runsScripts: boolean },
): void => {
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.yaml'))) {
    const text = readFileSync(join(examples, name), 'utf8').replaceAll(EXAMPLE_FOLDER, samples);
    writeFileSync(join(folder, name), runsScripts ? text : text.replace(PROCESS, PLAYED));
  }
};
