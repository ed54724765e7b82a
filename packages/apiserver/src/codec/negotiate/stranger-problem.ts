import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { typeOfKind } from '@perigee/kubernetes/types/kind-types';
import { goQuote } from '@perigee/schema/go-text';

interface Expected {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The source of the registry of types in kube-apiserver, as its messages print it. */
const SCHEME = 'pkg/runtime/scheme.go:111';

/** Why a body of another kind cannot be taken for one that is built in. */
export const strangerProblem = (
  apiVersion: string,
  kind: string,
  expected: Expected,
): string | undefined => {
  const wanted = typeOfKind(apiVersionOf(expected), expected.kind);
  const found = typeOfKind(apiVersion, kind);
  if (wanted === undefined || found === wanted) return undefined;
  const version = apiVersion.split('/').at(-1) ?? '';
  const refusal = `${kind} in version ${goQuote(version)} cannot be handled as a ${expected.kind}: `;
  if (found === undefined) {
    return `${refusal}no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(SCHEME)}`;
  }
  const [group] = wanted.split('.');
  const isOtherVersion = kind === expected.kind && found.split('.')[0] === group;
  const [, ...external] = found.split('.');
  return isOtherVersion
    ? undefined
    : `${refusal}converting (${external.join('.')}) to (${group}.${expected.kind}): unknown conversion`;
};
