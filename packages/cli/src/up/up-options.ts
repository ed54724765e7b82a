import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkHostPaths } from '@perigee/host/check-host-paths';
import { DEFAULT_FEATURES, type Features, LIMITS } from '@perigee/host/perigee-options';
import { ConfigError } from '@perigee/kube/errors';
import {
  SHARDINGS,
  type ShardingName,
} from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { parseDuration } from '@perigee/schema/values/duration';
import { parse } from 'yaml';
import { EXIT } from '../exit-codes.ts';
import { orFail } from '../or-fail.ts';

/** The options of a control plane, on the command line or in a file. */
export interface UpOptions extends Features {
  readonly data: string;
  readonly ephemeral: boolean;
  readonly port: number;
}

export const DEFAULTS: UpOptions = {
  data: '.perigee',
  ephemeral: false,
  port: 7443,
  ...DEFAULT_FEATURES,
};

const NUMBERS = { ...LIMITS, port: [0, 65_535] } as const;

const checkNumber = (field: keyof typeof NUMBERS, value: JsonValue, where: string): number => {
  const [least, most] = NUMBERS[field];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
    throw new ConfigError(`${where}: ${field} must be a whole number from ${least} to ${most}`);
  }
  return number;
};

const checkText = (field: string, value: JsonValue, where: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new ConfigError(`${where}: ${field} must be a text that is not empty`);
};

const checkTime = (field: string, value: JsonValue, where: string): string => {
  const text = checkText(field, value, where);
  try {
    if (parseDuration(text) > 0) return text;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  throw new ConfigError(`${where}: ${field} must be a time such as 90s or 5m`);
};

const checkSharding = (value: JsonValue, where: string): ShardingName => {
  const name = (Object.keys(SHARDINGS) as ShardingName[]).find((key) => key === value);
  if (name !== undefined) return name;
  throw new ConfigError(`${where}: sharding must be one of ${Object.keys(SHARDINGS).join(', ')}`);
};

const checkMembers = (value: JsonValue, where: string): boolean | readonly string[] => {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new ConfigError(`${where}: runProcesses must be true, false, or a list of member names`);
};

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const checkNamespaces = (value: JsonValue, where: string): readonly string[] => {
  const names = typeof value === 'string' ? value.split(',') : value;
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((name) => typeof name === 'string' && NAMESPACE.test(name))
  ) {
    return names as readonly string[];
  }
  throw new ConfigError(
    `${where}: processNamespaces must be names of namespaces, such as "team-a,team-b" on the command line or [team-a, team-b] in a file`,
  );
};

const checkFolders = (value: JsonValue, where: string): readonly string[] => {
  const folders = typeof value === 'string' ? [value] : value;
  if (Array.isArray(folders) && folders.every((one) => typeof one === 'string' && one !== '')) {
    return folders.map((folder) => resolve(folder as string));
  }
  throw new ConfigError(`${where}: hostPaths must be folders, such as [/srv/datasets]`);
};

/** Refuses options without effect: users would believe that they protect or allow something. */
const checkTogether = (options: UpOptions): UpOptions => {
  const { runProcesses, processNamespaces, hostPaths, ephemeral, data } = options;
  if (runProcesses !== false) {
    checkHostPaths(hostPaths, ephemeral ? undefined : data);
    return options;
  }
  if (processNamespaces.length > 0) {
    throw new ConfigError(
      'processNamespaces says whose pods may run as processes, and none may: add --run-processes, or leave it out',
    );
  }
  if (hostPaths.length === 0) return options;
  throw new ConfigError(
    'hostPaths says what pods that run as processes may mount, and none may run so: add --run-processes, or leave it out',
  );
};

/** Parses options; unknown ones are refused as probable misspellings. */
const readOptions = (values: JsonObject, where: string): Partial<UpOptions> => {
  const read: { -readonly [field in keyof UpOptions]?: UpOptions[field] } = {};
  for (const [field, value = null] of Object.entries(values)) {
    switch (field) {
      case 'port':
      case 'members':
      case 'nodes':
        read[field] = checkNumber(field, value, where);
        break;
      case 'data':
      case 'moverImage':
      case 'stagingStore':
        read[field] = checkText(field, value, where);
        break;
      case 'controllers':
        read[field] = value === '' ? value : checkText(field, value, where);
        break;
      case 'sharding':
        read[field] = checkSharding(value, where);
        break;
      case 'ephemeral':
      case 'failover':
      case 'queueAll':
      case 'preemption':
        if (typeof value !== 'boolean') {
          throw new ConfigError(`${where}: ${field} must be true or false`);
        }
        read[field] = value;
        break;
      case 'reserveAfter':
        read.reserveAfter = checkTime(field, value, where);
        break;
      case 'runProcesses':
        read.runProcesses = checkMembers(value, where);
        break;
      case 'processNamespaces':
        read.processNamespaces = checkNamespaces(value, where);
        break;
      case 'hostPaths':
        read.hostPaths = checkFolders(value, where);
        break;
      default:
        throw new ConfigError(
          `${where}: there is no option ${field}; choose from ${Object.keys(DEFAULTS).join(', ')}`,
        );
    }
  }
  return read;
};

const readFile = (file: string): JsonObject => {
  const value = ((): unknown => {
    try {
      return parse(readFileSync(file, 'utf8'));
    } catch (error) {
      throw new ConfigError(`cannot read the configuration ${file}: ${(error as Error).message}`);
    }
  })();
  if (isJsonObject(value)) return value;
  throw new ConfigError(`the configuration ${file} must hold options, such as "members: 3"`);
};

/** The command line takes precedence over the file, the file over the defaults. */
export const upOptions = (flags: JsonObject, configFile: string | undefined): UpOptions => {
  const options = {
    ...DEFAULTS,
    ...(configFile === undefined
      ? {}
      : orFail(EXIT.invalid, () => readOptions(readFile(configFile), configFile))),
    ...orFail(EXIT.usage, () => readOptions(flags, 'on the command line')),
  };
  return orFail(EXIT.usage, () => checkTogether(options));
};
