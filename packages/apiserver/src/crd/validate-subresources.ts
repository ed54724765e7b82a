import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { CrdSubresources } from './crd.ts';
import { simplePathProblem } from './simple-path.ts';

const pathProblem = (
  value: string,
  field: string,
  roots: readonly string[],
  where: string,
): readonly FieldError[] => {
  const problem = simplePathProblem(value);
  if (problem) return [invalid(field, value, problem)];
  return roots.some((root) => value.startsWith(`${root}.`))
    ? []
    : [invalid(field, value, `should be a json path under ${where}`)];
};

/** Problems of the subresources, such as the paths of the scale. */
export const validateSubresources = (
  { scale }: CrdSubresources,
  path: string,
): readonly FieldError[] => {
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const at = (name: string): string => `${path}.scale.${name}`;
  const either = '.spec or .status';
  return [
    ...(specReplicasPath === ''
      ? [required(at('specReplicasPath'))]
      : pathProblem(specReplicasPath, at('specReplicasPath'), ['.spec'], '.spec')),
    ...(statusReplicasPath === ''
      ? [required(at('statusReplicasPath'))]
      : pathProblem(statusReplicasPath, at('statusReplicasPath'), ['.status'], '.status')),
    ...(labelSelectorPath === undefined
      ? []
      : pathProblem(
          labelSelectorPath,
          at('labelSelectorPath'),
          ['.spec', '.status'],
          `either ${either}`,
        )),
  ];
};
