import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import {
  type Vector,
  vectorDifference,
} from '@perigee/scheduling/placement/scheduler/conformance/vector';

/** So many differences are told one by one; beyond, they are only counted. */
const TOLD = 10;

const linesOf = (file: string) => {
  const bytes = createReadStream(file);
  return createInterface({ input: file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes });
};

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write(`Compares placement decisions with those of the real scheduler.

Usage: npm run vectors -- FILE

FILE holds one JSON object a line, and may be gzipped: clusters, spec, status, and the expected
result, or err when scheduling fails. Clusters with their replicas are compared as a set.
`);
  process.exit(2);
}

let [count, agreed] = [0, 0];
for await (const line of linesOf(file)) {
  if (line.trim() === '') continue;
  count += 1;
  const difference = vectorDifference(JSON.parse(line) as Vector);
  if (difference === undefined) agreed += 1;
  else if (count - agreed <= TOLD) console.log(`line ${count}: ${difference}`);
}
console.log(`${agreed} of ${count} agree`);
process.exitCode = agreed === count && count > 0 ? 0 : 1;
