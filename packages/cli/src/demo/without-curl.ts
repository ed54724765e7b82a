import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const argumentOf = (args: readonly string[], flag: string): string =>
  args[args.indexOf(flag) + 1] ?? '';

/** Sends the requests of curl on machines without it. */
export const withoutCurl = (args: readonly string[], cwd: string): Promise<string> => {
  const file = (flag: string): Buffer =>
    readFileSync(resolve(cwd, argumentOf(args, flag).replace(/^@/, '')));
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  const sent = request(
    args.at(-1) ?? '',
    {
      method: 'POST',
      ca: file('--cacert'),
      cert: file('--cert'),
      key: file('--key'),
      headers: { 'content-type': 'application/json' },
    },
    (response) => {
      text(response).then(done, reject);
    },
  );
  sent.on('error', reject);
  sent.end(file('--data'));
  return promise;
};
