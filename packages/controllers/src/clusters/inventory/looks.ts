import type { Clock } from '@perigee/kube/clock/clock';
import type { Finding } from '@perigee/scheduling/clusters/inventory/finding';

export interface LookTimes {
  /** How often a cluster that is well is looked at. */
  readonly lookEveryMs: number;
  /** How soon one that is not is looked at again; twice as long after each further look. */
  readonly retryMs: number;
}

interface Look {
  readonly finding: Finding;
  /** What was known when it was looked at: when that changes, it is time to look again. */
  readonly occasion: string;
  readonly dueAt: number;
  readonly failures: number;
}

/** Clusters that joined together must not be looked at together for ever. */
const SPREAD = 0.1;

/** What the looks at all clusters found, and when the next ones are due. */
export class Looks {
  readonly #times: LookTimes;
  readonly #looks = new Map<string, Look>();
  readonly #changes = new Map<string, number>();

  constructor(times: LookTimes) {
    this.#times = times;
  }

  /** There may be something new to see. */
  changed(name: string): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
  }

  /** What there is to see, unless it was looked at a short while ago and nothing has changed. */
  async finding(
    name: string,
    circumstances: readonly unknown[],
    clock: Clock,
    look: () => Promise<Finding>,
  ): Promise<Finding> {
    const occasion = JSON.stringify([circumstances, this.#changes.get(name)]);
    const last = this.#looks.get(name);
    const isSame = last?.occasion === occasion;
    if (isSame && last.dueAt > clock.monotonic()) return last.finding;
    const finding = await look();
    const failures = finding.kind === 'trouble' ? (isSame ? last.failures : 0) + 1 : 0;
    const dueAt = clock.monotonic() + this.#waitMs(failures, clock);
    this.#looks.set(name, { finding, occasion, dueAt, failures });
    return finding;
  }

  /** How long it is until the next look, in whole milliseconds: less would never be over. */
  leftMs(name: string, clock: Clock): number {
    const { dueAt = 0 } = this.#looks.get(name) ?? {};
    return Math.max(1, Math.ceil(dueAt - clock.monotonic()));
  }

  forget(name: string): void {
    this.#looks.delete(name);
    this.#changes.delete(name);
  }

  #waitMs(failures: number, clock: Clock): number {
    const { lookEveryMs, retryMs } = this.#times;
    const waitMs =
      failures === 0 ? lookEveryMs : Math.min(lookEveryMs, retryMs * 2 ** (failures - 1));
    return waitMs * (1 + SPREAD * (clock.random() - 0.5));
  }
}
