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
  const { promise, resolve: settle, reject } = Promise.withResolvers<string>();
  const httpRequest = request(
    args.at(-1) ?? '',
    {
      method: 'POST',
      ca: file('--cacert'),
      cert: file('--cert'),
      key: file('--key'),
      headers: { 'content-type': 'application/json' },
    },
    (response) => {
      text(response).then(settle, reject);
    },
  );
  httpRequest.on('error', reject);
  httpRequest.end(file('--data'));
  return promise;
};
