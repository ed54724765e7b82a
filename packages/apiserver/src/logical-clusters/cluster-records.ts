import type { Clock } from '@perigee/kube/clock/clock';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import type { Store } from '../store/store.ts';

/** The persisted record of a member. */
export interface LogicalClusterRecord {
  readonly name: string;
  /** The kinds that its definitions are kept up to date for, such as `jobs.batch.volcano.sh`. */
  readonly kinds: readonly string[];
  /** True during the removal of a member, to complete it after a crash. */
  readonly isEnding: boolean;
}

/** Not a valid cluster name, so the table is out of reach of clients. */
const TABLE = '.clusters';

const recordOf = (name: string, object: JsonObject): LogicalClusterRecord => ({
  name,
  kinds: (object.kinds as readonly string[] | undefined) ?? [],
  isEnding: object.isEnding === true,
});

/** The persisted records of all members of a store. */
export class ClusterRecords {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  all(): readonly LogicalClusterRecord[] {
    return this.#store.range(TABLE).entries.map(({ key, object }) => recordOf(key, object));
  }

  find(name: string): LogicalClusterRecord | undefined {
    const entry = this.#store.get(TABLE, name);
    return entry && recordOf(name, entry.object);
  }

  /** Notes that there is such a member, with these kinds beside those that it has. */
  async keep(name: string, kinds: readonly string[]): Promise<LogicalClusterRecord> {
    const creationTimestamp = formatTime(this.#clock.now());
    const { entry } = await this.#store.write(TABLE, name, (present) => {
      const before = present && recordOf(name, present.object);
      if (before !== undefined && kinds.every((kind) => before.kinds.includes(kind))) {
        return { keep: true };
      }
      const metadata = present?.object.metadata ?? { name, creationTimestamp };
      return { put: { metadata, kinds: [...new Set([...(before?.kinds ?? []), ...kinds])] } };
    });
    return recordOf(name, entry?.object ?? {});
  }

  async markEnding(name: string): Promise<void> {
    await this.#store.write(TABLE, name, (present) =>
      present === undefined ? { keep: true } : { put: { ...present.object, isEnding: true } },
    );
  }

  async forget(name: string): Promise<void> {
    await this.#store.write(TABLE, name, (present) =>
      present === undefined ? { keep: true } : { remove: true },
    );
  }
}
