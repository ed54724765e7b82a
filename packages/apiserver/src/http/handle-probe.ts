import { answerProbe, type HealthCheck } from '../health/probes.ts';
import { methodNotAllowed } from '../status/request-refusals.ts';
import type { Exchange } from './exchange.ts';
import { sendReply } from './reply.ts';

const checksOf = (
  { closing }: Exchange,
  isServing: boolean,
  more: readonly HealthCheck[],
): readonly HealthCheck[] => [
  { name: 'ping', problem: () => undefined },
  {
    name: 'poststarthook/crd-informer-synced',
    problem: () => (isServing ? undefined : 'the stored definitions are not served yet'),
    onlyReady: true,
  },
  ...more,
  {
    name: 'shutdown',
    problem: () => (closing.aborted ? 'process is shutting down' : undefined),
    onlyReady: true,
  },
];

/** Answers whether the server lives, and whether it serves everything that it has. */
export const handleProbe = (
  exchange: Exchange,
  isServing: boolean,
  more: readonly HealthCheck[] = [],
): Promise<void> => {
  const { method, path, query } = exchange;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const { code, text } = answerProbe(path, query, checksOf(exchange, isServing, more));
  return sendReply(exchange, { code, contentType: 'text/plain; charset=utf-8', parts: [text] });
};
