import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Connection } from '../connection.ts';
import { FailedError } from '../errors.ts';
import { Resources, type SpecOf, type WaitOptions, type WriteOptions } from './resources.ts';

/** Triggers: they have work scheduled afresh. */
export class Triggers extends Resources<typeof ScheduleTrigger> {
  constructor(connection: Connection) {
    super(connection, ScheduleTrigger);
  }

  /**
   * Fires a trigger and waits until each of its targets has a result.
   * @throws `FailedError` when one of them failed.
   */
  async fire(
    name: string,
    spec: SpecOf<typeof ScheduleTrigger>,
    options: WriteOptions & WaitOptions = {},
  ): Promise<ScheduleTrigger> {
    await this.apply(name, spec, options);
    const finishedTrigger = await this.until(
      name,
      ({ status }) => status?.finishTime !== undefined,
      options,
    );
    const failureCount = finishedTrigger.status?.counts?.failed ?? 0;
    if (failureCount === 0) return finishedTrigger;
    throw new FailedError(`${failureCount} targets of the trigger ${name} failed`, finishedTrigger);
  }
}
