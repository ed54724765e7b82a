import { CelFailure } from '../failure.ts';
import { method, type Overload } from '../signature.ts';
import { OpaqueValue } from '../values.ts';

/** Question of an expression to the authorizer: a verb on a resource, or on a path. */
export interface AuthorizationQuestion {
  readonly verb: string;
  /** Service account to ask about; the user of the request by default. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

type Ask = (question: AuthorizationQuestion) => AuthorizationAnswer;

interface Check extends Omit<AuthorizationQuestion, 'verb'> {
  readonly ask: Ask;
}

type CheckValue = OpaqueValue<Check>;
type DecisionValue = OpaqueValue<AuthorizationAnswer>;

const value = (type: string, check: Check): CheckValue =>
  new OpaqueValue(type, check, ({ ask: _, ...question }) => JSON.stringify(question));

/** Value of the variable `authorizer`. */
export const authorizerValue = (ask: Ask): OpaqueValue => value('Authorizer', { ask });

/** Value of `authorizer.requestResource`: the resource of the request. */
export const resourceCheckValue = (
  ask: Ask,
  resource: Pick<
    AuthorizationQuestion,
    'group' | 'resource' | 'subresource' | 'namespace' | 'name'
  >,
): OpaqueValue => value('ResourceCheck', { ask, ...resource });

const refine =
  (type: string, field: keyof Check) =>
  ({ value: check }: CheckValue, text: string): CheckValue =>
    value(type, { ...check, [field]: text });

const serviceAccount = (
  { value: check }: CheckValue,
  namespace: string,
  name: string,
): CheckValue => {
  if (namespace === '' || name === '') {
    throw new CelFailure('a service account has a namespace and a name');
  }
  return value('Authorizer', { ...check, serviceAccount: { namespace, name } });
};

const decide = ({ value: { ask, ...question } }: CheckValue, verb: string): DecisionValue =>
  new OpaqueValue('Decision', ask({ ...question, verb }), (answer) => JSON.stringify(answer));

/** Kubernetes counts a question to an authorizer as much as a third of all that a rule may cost. */
const COST_OF_CHECK = 350_000;

const costly = (): number => COST_OF_CHECK;

export const AUTHORIZERS: readonly Overload[] = [
  method('Authorizer', 'path(string): PathCheck', refine('PathCheck', 'path')),
  method('Authorizer', 'group(string): GroupCheck', refine('GroupCheck', 'group')),
  method('Authorizer', 'serviceAccount(string, string): Authorizer', serviceAccount),
  method('GroupCheck', 'resource(string): ResourceCheck', refine('ResourceCheck', 'resource')),
  method(
    'ResourceCheck',
    'subresource(string): ResourceCheck',
    refine('ResourceCheck', 'subresource'),
  ),
  method('ResourceCheck', 'namespace(string): ResourceCheck', refine('ResourceCheck', 'namespace')),
  method('ResourceCheck', 'name(string): ResourceCheck', refine('ResourceCheck', 'name')),
  method('PathCheck', 'check(string): Decision', decide, costly),
  method('ResourceCheck', 'check(string): Decision', decide, costly),
  method('Decision', 'allowed(): bool', ({ value: answer }: DecisionValue) => answer.allowed),
  method('Decision', 'reason(): string', ({ value: answer }: DecisionValue) => answer.reason ?? ''),
  method(
    'Decision',
    'errored(): bool',
    ({ value: answer }: DecisionValue) => answer.error !== undefined,
  ),
  method('Decision', 'error(): string', ({ value: answer }: DecisionValue) => answer.error ?? ''),
];
