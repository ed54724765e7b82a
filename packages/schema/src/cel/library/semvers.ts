import { compareSemvers, normaliseSemver, parseSemver, type Semver } from '../../formats/semver.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { OpaqueValue } from '../values.ts';

type SemverValue = OpaqueValue<Semver>;

const identityOf = ({ numbers, prerelease }: Semver): string =>
  `${numbers.join('.')}-${prerelease.join('.')}`;

const toSemver = (text: string): SemverValue => {
  const semver = parseSemver(text);
  if (semver === undefined)
    throw new CelFailure(`${JSON.stringify(text)} is not a semantic version`);
  return new OpaqueValue('Semver', semver, identityOf);
};

const compareTo = (a: SemverValue, b: SemverValue): bigint =>
  BigInt(compareSemvers(a.value, b.value));
const readable = (text: string, isLoose: boolean): string =>
  isLoose ? normaliseSemver(text) : text;
const walk = (text: string): number => textCost(text.length);
const part =
  (index: 0 | 1 | 2) =>
  ({ value }: SemverValue) =>
    value.numbers[index];

export const SEMVERS: readonly Overload[] = [
  func('semver(string): Semver', (text: string) => toSemver(text), walk),
  func(
    'semver(string, bool): Semver',
    (text: string, isLoose: boolean) => toSemver(readable(text, isLoose)),
    walk,
  ),
  func('isSemver(string): bool', (text: string) => parseSemver(text) !== undefined, walk),
  func(
    'isSemver(string, bool): bool',
    (text: string, isLoose: boolean) => parseSemver(readable(text, isLoose)) !== undefined,
    walk,
  ),
  method('Semver', 'compareTo(Semver): int', compareTo),
  method(
    'Semver',
    'isGreaterThan(Semver): bool',
    (a: SemverValue, b: SemverValue) => compareTo(a, b) > 0n,
  ),
  method(
    'Semver',
    'isLessThan(Semver): bool',
    (a: SemverValue, b: SemverValue) => compareTo(a, b) < 0n,
  ),
  method('Semver', 'major(): int', part(0)),
  method('Semver', 'minor(): int', part(1)),
  method('Semver', 'patch(): int', part(2)),
];
