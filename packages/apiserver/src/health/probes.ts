import { goQuote } from '@perigee/schema/go-text';

/** A check of a component. */
export interface HealthCheck {
  readonly name: string;
  /** The present problem; undefined if there is none. */
  readonly problem: () => string | undefined;
  /** True for checks of `/readyz` alone: a failure is no reason to restart the server. */
  readonly onlyReady?: boolean;
}

export interface ProbeAnswer {
  readonly code: 200 | 404 | 500;
  readonly text: string;
}

const PROBE = /^\/(healthz|livez|readyz)(?:\/(.+))?$/;

export const isProbe = (path: string): boolean => PROBE.test(path.replace(/\/$/, ''));

const answerAll = (
  probe: string,
  query: URLSearchParams,
  checks: readonly HealthCheck[],
): ProbeAnswer => {
  const excluded = new Set(query.getAll('exclude'));
  const unknown = new Set(excluded);
  const lines: string[] = [];
  let isWell = true;
  for (const { name, problem } of checks) {
    unknown.delete(name);
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok\n`);
    } else if (problem() === undefined) {
      lines.push(`[+]${name} ok\n`);
    } else {
      isWell = false;
      lines.push(`[-]${name} failed: reason withheld\n`);
    }
  }
  if (unknown.size > 0) {
    const names = [...unknown].sort().map(goQuote).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  if (!isWell) return { code: 500, text: `${lines.join('')}${probe} check failed\n` };
  if (!query.has('verbose')) return { code: 200, text: 'ok' };
  return { code: 200, text: `${lines.join('')}${probe} check passed\n` };
};

/** Response of a probe, as kube-apiserver prints it: all checks, or the one that the path names. */
export const answerProbe = (
  path: string,
  query: URLSearchParams,
  checks: readonly HealthCheck[],
): ProbeAnswer => {
  const [, probe = '', name] = PROBE.exec(path.replace(/\/$/, '')) ?? [];
  const probeChecks = checks.filter(({ onlyReady }) => probe === 'readyz' || !onlyReady);
  if (name === undefined) return answerAll(probe, query, probeChecks);
  const check = probeChecks.find((candidate) => candidate.name === name);
  if (check === undefined) return { code: 404, text: '404 page not found\n' };
  const problem = check.problem();
  if (problem === undefined) return { code: 200, text: 'ok' };
  return { code: 500, text: `internal server error: ${problem}\n` };
};
