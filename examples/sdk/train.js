// From files of this machine to a trained model, with steps that are functions of this program:
//
//   mkdir -p /tmp/samples && seq 1000 > /tmp/samples/numbers.txt
//   perigee up --run-processes --host-path /tmp/samples
//   KUBECONFIG=.perigee/kubeconfig node examples/sdk/train.js /tmp/samples
import { readFile, writeFile } from 'node:fs/promises';
import { flow } from '@perigee/sdk';

const samples = process.argv[2] ?? '/tmp/samples';
const shares = [0.5, 0.25];

/** Goes along with the functions that use it. */
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const training = flow('training', {
  datasets: {
    lake: { accessModes: ['ReadWriteMany'] },
    raw: {
      mounts: [{ mountPoint: 'dataset://default/lake', path: '/' }],
      accessModes: ['ReadWriteMany'],
    },
  },
})
  .migrate({ name: 'fetch', from: `local://${samples}`, to: 'lake' })
  .load({ name: 'warm', dataset: 'raw' })
  .process(
    async ({ data }) => {
      const numbers = (await readFile(`${data}/numbers.txt`, 'utf8')).split('\n').filter(Boolean);
      for (const [at, share] of shares.entries()) {
        const part = numbers.slice(0, numbers.length * share);
        await writeFile(`${data}/part-${at}.json`, JSON.stringify(part.map(Number)));
      }
      return { samples: numbers.length };
    },
    { name: 'prepare' },
  )
  // Two branches, and a join.
  .process(async ({ data }) => mean(JSON.parse(await readFile(`${data}/part-0.json`, 'utf8'))), {
    name: 'half',
    after: 'prepare',
  })
  .process(async ({ data }) => mean(JSON.parse(await readFile(`${data}/part-1.json`, 'utf8'))), {
    name: 'quarter',
    after: 'prepare',
  })
  .process(({ step }) => console.log(`${step}: both are there`), {
    name: 'report',
    after: ['half', 'quarter'],
  });

console.log(String(await training.plan()));
const run = await training.run({ replace: true });
for await (const { phase, complete, steps } of run) {
  console.log(`${phase}: ${complete} of ${steps.length} steps complete`);
}
await run.wait();
for (const step of ['prepare', 'half', 'quarter', 'report']) {
  for await (const { line } of run.logs(step)) console.log(`${step}: ${line}`);
}
