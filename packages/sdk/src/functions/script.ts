import { PackError } from '../errors.ts';
import { PackedValues } from './pack-values.ts';
import type { StepContext, StepFunction } from './step-function.ts';

/** API objects are limited to about one MiB, and the script is stored twice: in the step and in a ConfigMap. */
const MOST_BYTES = 512 * 1024;

/**
 * Prints the function's result as the last line. An error goes to the termination log, from which it
 * reaches the status of the step.
 */
const MAIN = `
  .then((result) => { if (result !== undefined) console.log(JSON.stringify(result)); })
  .catch((error) => {
    console.error(error);
    try { require('node:fs').writeFileSync('/dev/termination-log', String(error && error.message || error).slice(0, 1000)); } catch {}
    process.exitCode = 1;
  });
`;

/**
 * Packs a function and the values it closes over as a script for node.
 * @throws `PackError` when it uses something that cannot be packed.
 */
export const scriptOf = (
  run: StepFunction,
  context: StepContext,
  variables: { readonly [variable: string]: unknown },
): string => {
  const values = new PackedValues(variables);
  const step = values.pack(run, `the function of the step ${context.step}`);
  const script = [
    `// The step ${context.step} of the flow ${context.flow}.`,
    "'use strict';",
    values.code,
    `Promise.resolve(${JSON.stringify(context)}).then(${step})${MAIN}`,
  ].join('\n');
  const bytes = Buffer.byteLength(script);
  if (bytes > MOST_BYTES) {
    throw new PackError(
      `the function of the step ${context.step} and what it closes over take ${Math.ceil(bytes / 1024)} KiB, and ${MOST_BYTES / 1024} is the most: put data into the Dataset`,
    );
  }
  return script;
};
