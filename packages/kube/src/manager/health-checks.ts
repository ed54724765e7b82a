/** One thing that must be right. */
export interface HealthCheck {
  readonly name: string;
  /** The present problem, if any. */
  problem(): string | undefined;
}

export interface HealthReport {
  readonly healthy: boolean;
  readonly text: string;
}

/** Asks all checks, and reports in the form that Kubernetes components use. */
export const checkHealth = (
  endpoint: string,
  checks: readonly HealthCheck[],
  verbose: boolean,
): HealthReport => {
  const results = checks.map(({ name, problem }) => ({ name, problem: problem() }));
  const healthy = results.every(({ problem }) => problem === undefined);
  if (healthy && !verbose) return { healthy, text: 'ok' };
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${problem}\n`,
  );
  return {
    healthy,
    text: `${lines.join('')}${endpoint} check ${healthy ? 'passed' : 'failed'}\n`,
  };
};
