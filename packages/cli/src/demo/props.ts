import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAYS = 24;
const LINES_A_DAY = 40_000;
const TURBINES = 16;

/** A day of a wind farm: turbine, power, second. The same in every run. */
const dayOf = (day: number): string => {
  const lines = Array.from({ length: LINES_A_DAY }, (_, at) => {
    const power = ((at * 31 + day * 17) % 1000) / 10;
    return `turbine${(at * 7 + day) % TURBINES},${power},${at}\n`;
  });
  return lines.join('');
};

/** Writes the samples of the story, some twenty megabytes of real bytes. */
export const writeSamples = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (let day = 1; day <= DAYS; day += 1) {
    writeFileSync(join(folder, `day${String(day).padStart(2, '0')}.csv`), dayOf(day));
  }
};

/** The folder that stands in the examples for the one with the samples. */
const EXAMPLE_FOLDER = '/tmp/samples';
const PROCESS = 'metadata: { name: prepare, namespace: default,';
const PLAYED = `${PROCESS} annotations: { flows.perigee.io/simulate: "true" },`;

/** Copies the YAML of the story, with the samples of this machine; scripts are played where none can run. */
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
