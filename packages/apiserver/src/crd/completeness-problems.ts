import { type FieldError, required } from '@perigee/schema/errors';
import {
  JUNCTORS,
  namedNodesAt,
  nodeAt,
  nodesAt,
  propertyAt,
  type SchemaNode,
} from './schema-node.ts';

interface Place {
  readonly node: SchemaNode | undefined;
  readonly path: string;
}

const missingProblem = (structure: Place, check: Place): FieldError =>
  required(structure.path, `because it is defined in ${check.path}`);

const belowChecks = (structure: Place, check: Place): readonly FieldError[] => {
  const { node } = check;
  if (node === undefined) return [];
  const not = nodeAt(node, 'not');
  return [
    ...(not ? nestedProblems(structure, { node: not, path: `${check.path}.not` }) : []),
    ...JUNCTORS.flatMap((junctor) =>
      nodesAt(node, junctor).flatMap((child, at) =>
        nestedProblems(structure, { node: child, path: `${check.path}.${junctor}[${at}]` }),
      ),
    ),
  ];
};

const nestedProblems = (structure: Place, check: Place): readonly FieldError[] => {
  const { node } = check;
  if (node === undefined) return [];
  if (structure.node === undefined) return [missingProblem(structure, check)];
  const structureNode = structure.node;
  const items = nodeAt(node, 'items');
  return [
    ...belowChecks(structure, check),
    ...(items
      ? nestedProblems(
          { node: nodeAt(structureNode, 'items'), path: `${structure.path}.items` },
          { node: items, path: `${check.path}.items` },
        )
      : []),
    ...namedNodesAt(node, 'properties').flatMap(([name, property]) => {
      const step = `properties[${name}]`;
      return nestedProblems(
        { node: propertyAt(structureNode, name), path: `${structure.path}.${step}` },
        { node: property, path: `${check.path}.${step}` },
      );
    }),
  ];
};

/** The fields that the junctors of the root speak of, and that the schema itself does not have. */
export const completenessProblems = (schema: SchemaNode, path: string): readonly FieldError[] =>
  belowChecks({ node: schema, path }, { node: schema, path });
