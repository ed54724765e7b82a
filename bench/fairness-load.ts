import { Agent, request } from 'node:http';
import { FAIRNESS_FORMS, type FairnessOrder, LISTED_FAIRLY, PODS } from './fairness-protocol.ts';

/** One client of the server. The reader of single objects and the client that asks for much are two processes. */
const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const call = (
  path: string,
  { method = 'GET', headers = {} }: { readonly method?: string; readonly headers?: object } = {},
): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      { agent, method, headers: { ...headers } },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${method} ${path} was answered with ${response.statusCode}`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end();
  });

let isReading = false;

/** Reports its start, and at its stop the longest time of an answer. */
const read = async (): Promise<number> => {
  isReading = true;
  let longest = 0;
  process.send?.(0);
  for (let at = 0; isReading; at = (at + 1) % LISTED_FAIRLY) {
    const before = performance.now();
    await call(`${PODS}/web-7d4b9c6f5d-${at}`);
    longest = Math.max(longest, performance.now() - before);
  }
  return longest;
};

const carryOut = async (order: FairnessOrder): Promise<number | undefined> => {
  if ('task' in order) {
    if (order.task === 'read') return read();
    isReading = false;
    return undefined;
  }
  const { form } = order;
  const requestForm = FAIRNESS_FORMS[form];
  if (requestForm === undefined) throw new Error(`there is no form ${form}`);
  return call(`${PODS}?${requestForm.query ?? ''}`, requestForm);
};

process.on('message', async (order: FairnessOrder) => {
  const answer = await carryOut(order);
  if (answer !== undefined) process.send?.(answer);
});
process.once('disconnect', () => process.exit());
