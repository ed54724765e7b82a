import { globSync } from 'node:fs';
import { bundleTests } from './bundle-tests.ts';
import { runFiles } from './run-files.ts';

/** Most tests wait for something most of the time: more run at once than there are processors. */
const AT_ONCE = 3;

/** They take longest. Started last, one of them would run alone at the end. */
const FIRST = [
  'packages/controllers/test/data/histories.long.test.ts',
  'test/docs/code-blocks.long.test.ts',
  'test/python/fluid-examples.long.test.ts',
  'test/demo.long.test.ts',
  'test/queues/queue-flow.long.test.ts',
  'test/plan/foretold.long.test.ts',
  'packages/mover/test/crash-steps.long.test.ts',
  'test/clients/kubectl-sessions.long.test.ts',
  'packages/controllers/test/placement/triggers/ten-thousand.long.test.ts',
  'test/up.test.ts',
  'packages/cli/test/clusters/registration.test.ts',
  'packages/cli/test/placement/plan.test.ts',
  'test/placement/trigger.test.ts',
  'test/data/claims.test.ts',
];

const SUITES: { readonly [name: string]: () => readonly string[] } = {
  short: bundleTests,
  long: () => globSync(['test/**/*.long.test.ts', 'packages/*/test/**/*.long.test.ts']).sort(),
};

const [name = ''] = process.argv.slice(2);
const files = SUITES[name]?.();
if (files === undefined) throw new Error(`choose from ${Object.keys(SUITES).join(', ')}`);
await runFiles(
  [
    ...FIRST.filter((file) => files.includes(file)),
    ...files.filter((file) => !FIRST.includes(file)),
  ],
  AT_ONCE,
);
