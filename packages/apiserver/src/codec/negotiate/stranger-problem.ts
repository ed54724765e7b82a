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
  expectedKind: Expected,
): string | undefined => {
  const expectedType = typeOfKind(apiVersionOf(expectedKind), expectedKind.kind);
  const actualType = typeOfKind(apiVersion, kind);
  if (expectedType === undefined || actualType === expectedType) return undefined;
  const version = apiVersion.split('/').at(-1) ?? '';
  const refusal = `${kind} in version ${goQuote(version)} cannot be handled as a ${expectedKind.kind}: `;
  if (actualType === undefined) {
    return `${refusal}no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(SCHEME)}`;
  }
  const [group] = expectedType.split('.');
  const isOtherVersion = kind === expectedKind.kind && actualType.split('.')[0] === group;
  const [, ...external] = actualType.split('.');
  return isOtherVersion
    ? undefined
    : `${refusal}converting (${external.join('.')}) to (${group}.${expectedKind.kind}): unknown conversion`;
};
