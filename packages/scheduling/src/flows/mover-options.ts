import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { present } from '@perigee/schema/present';
import type { CopyOperation } from './move.ts';
import type { Refusal } from './validate-operation.ts';

const MOST_THREADS = 64;

const OPTIONS = [
  'threads',
  'delete-dst',
  'delete-limit',
  'check-all',
  'skip-special',
  'skip-outside-links',
];

export interface CopySettings {
  readonly parallelism?: number;
  readonly compare?: 'content';
  readonly special?: 'skip';
  readonly outsideLinks?: 'skip';
  readonly deletes: boolean;
  readonly mostDeletions?: number;
}

type Options = { readonly [name: string]: string };

/** Unsupported options are refused: ignoring one could copy files that should be excluded. */
export const badOption = (operation: CopyOperation, options: Options): Refusal | undefined => {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  const isRefused = unknown !== undefined && operation.kind === 'DataMigrate';
  if (isRefused) {
    const message = `the option ${unknown} is not known; there are ${OPTIONS.join(', ')}`;
    return { reason: 'NotSupported', message };
  }
  const limit = options['delete-limit'] ?? '0';
  if (!/^[0-9]{1,12}$/.test(limit)) {
    return { reason: 'NotSupported', message: 'delete-limit must be a whole number' };
  }
  const { threads = '1' } = options;
  const isNumber = /^[1-9][0-9]?$/.test(threads) && Number(threads) <= MOST_THREADS;
  return isNumber
    ? undefined
    : { reason: 'NotSupported', message: `threads must be a number from 1 to ${MOST_THREADS}` };
};

const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false';

export const settingsOf = (operation: CopyOperation, options: Options): CopySettings => {
  const pods = operation.kind === 'DataMigrate' ? (operation as DataMigrate).spec.parallelism : 1;
  const threads = Number(options.threads ?? (pods > 1 ? pods : 0));
  return {
    ...present({
      parallelism: threads > 0 ? Math.min(threads, MOST_THREADS) : undefined,
      compare: isOn(options['check-all']) ? ('content' as const) : undefined,
      special: isOn(options['skip-special']) ? ('skip' as const) : undefined,
      outsideLinks: isOn(options['skip-outside-links']) ? ('skip' as const) : undefined,
    }),
    deletes: isOn(options['delete-dst']),
    ...present({
      mostDeletions: options['delete-limit'] ? Number(options['delete-limit']) : undefined,
    }),
  };
};
