import { METRICS_CONTENT_TYPE, type Metrics } from '../observe/metrics.ts';
import { checkHealth, type HealthCheck } from './health-checks.ts';
import type { HttpAnswer, HttpEndpoints } from './http-listener.ts';

const PING: HealthCheck = { name: 'ping', problem: () => undefined };

const healthAnswer =
  (endpoint: string, checks: readonly HealthCheck[]) =>
  (query: URLSearchParams): HttpAnswer => {
    const { healthy, text } = checkHealth(endpoint, checks, query.has('verbose'));
    return { status: healthy ? 200 : 500, body: text };
  };

/** What Kubernetes and Prometheus ask a component: whether it lives, is ready, and what it measured. */
export const managerEndpoints = (
  metrics: Metrics,
  readiness: readonly HealthCheck[],
): HttpEndpoints => ({
  '/healthz': healthAnswer('healthz', [PING]),
  '/livez': healthAnswer('livez', [PING]),
  '/readyz': healthAnswer('readyz', [PING, ...readiness]),
  '/metrics': () => ({ contentType: METRICS_CONTENT_TYPE, body: metrics.expose() }),
});
