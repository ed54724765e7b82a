import { requestLabels } from '../metrics/request-labels.ts';
import { isWatch } from '../request/query.ts';
import type { Exchange } from './exchange.ts';
import type { ServedApi } from './served-api.ts';

/** Does the work of an exchange, and measures it. */
export const measured = async (
  { registry }: ServedApi,
  exchange: Exchange,
  work: () => Promise<void>,
): Promise<void> => {
  const { method, path, query, metrics, response } = exchange;
  const watches = method === 'GET' && isWatch(query);
  const done = metrics.begin(method, watches);
  const labels = requestLabels(method, path, watches, registry.resources);
  using _ = watches ? metrics.watching(labels) : undefined;
  try {
    await work();
  } finally {
    done(response.statusCode, labels);
  }
};
