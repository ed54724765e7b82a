import type { Clock } from '@perigee/kube/clock/clock';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';

export interface ProbeTimes {
  /** Interval between probes of a healthy cluster. */
  readonly probeEveryMs: number;
  /** First interval after a failed probe; it doubles with every further failure. */
  readonly retryMs: number;
}

interface Probe {
  readonly finding: Finding;
  /** The inputs of the probe: when they change, the result is stale. */
  readonly occasion: string;
  readonly dueAt: number;
  readonly failures: number;
}

/** Jitter, so that clusters that joined together are not probed together for ever. */
const SPREAD = 0.1;

/** Caches the probe results of all clusters, and schedules the next probes. */
export class Probes {
  readonly #times: ProbeTimes;
  readonly #probes = new Map<string, Probe>();
  readonly #changes = new Map<string, number>();

  constructor(times: ProbeTimes) {
    this.#times = times;
  }

  /** Invalidates the cached result of a cluster. */
  changed(name: string): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
  }

  /** Returns the cached result, or probes if it is due or its inputs have changed. */
  async finding(
    name: string,
    circumstances: readonly unknown[],
    clock: Clock,
    probe: () => Promise<Finding>,
  ): Promise<Finding> {
    const occasion = JSON.stringify([circumstances, this.#changes.get(name)]);
    const last = this.#probes.get(name);
    const isSame = last?.occasion === occasion;
    if (isSame && last.dueAt > clock.monotonic()) return last.finding;
    const finding = await probe();
    const failures = finding.kind === 'trouble' ? (isSame ? last.failures : 0) + 1 : 0;
    const dueAt = clock.monotonic() + this.#waitMs(failures, clock);
    this.#probes.set(name, { finding, occasion, dueAt, failures });
    return finding;
  }

  /**
   * Time until the next probe, in whole milliseconds: a timer of less than one would fire too early, again and
   * again.
   */
  leftMs(name: string, clock: Clock): number {
    const { dueAt = 0 } = this.#probes.get(name) ?? {};
    return Math.max(1, Math.ceil(dueAt - clock.monotonic()));
  }

  forget(name: string): void {
    this.#probes.delete(name);
    this.#changes.delete(name);
  }

  #waitMs(failures: number, clock: Clock): number {
    const { probeEveryMs, retryMs } = this.#times;
    const waitMs =
      failures === 0 ? probeEveryMs : Math.min(probeEveryMs, retryMs * 2 ** (failures - 1));
    return waitMs * (1 + SPREAD * (clock.random() - 0.5));
  }
}
