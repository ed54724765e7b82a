import type { Salvage } from '@perigee/apiserver/store/inspect-file';
import { damageText } from '@perigee/apiserver/store/read-sound-file';
import { repairStore } from '@perigee/apiserver/store/repair-store';
import type { Clock } from '@perigee/kube/clock/clock';
import { formatTime } from '@perigee/schema/values/time';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** `look` reports what a repair would drop, `drop` drops it. */
export type RepairMode = 'look' | 'drop';

export interface RepairRequest {
  readonly data: string;
  readonly mode: RepairMode;
  readonly clock: Clock;
  readonly notify: (text: string) => void;
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;

/** The losses, one line each. */
const losses = ({ damages, missing, goesBack }: Salvage): readonly string[] => [
  ...damages.map((damage) => `damaged: ${damageText(damage)}`),
  ...(missing > 0 ? [`lost: ${count(missing, 'object')} whose names cannot be read`] : []),
  ...(goesBack ? ['lost: the writes of the last commit'] : []),
];

/** Repairs a data folder before the start. Throws when it is damaged and dropping was not requested. */
export const repair = async ({ data, mode, clock, notify }: RepairRequest): Promise<void> => {
  const suffix = formatTime(clock.now()).replace(/[^0-9TZ]/g, '');
  const { salvage, copy } = await repairStore({ path: data, drop: mode === 'drop', suffix });
  if (salvage.damages.length === 0) {
    notify(`nothing is damaged in ${data}: ${count(salvage.records.length, 'object')}`);
    return;
  }
  for (const loss of losses(salvage)) notify(loss);
  const savedObjects = count(salvage.records.length, 'object');
  if (copy === undefined) {
    throw new CommandError(
      EXIT.conflict,
      `${savedObjects} can be saved; nothing was changed. To keep these and drop the rest: perigee up --repair=drop --data ${data}. If there is a backup, restore that instead`,
    );
  }
  notify(`${savedObjects} kept, the rest dropped; the file as it was is ${copy}`);
};
