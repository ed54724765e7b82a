import type { StructuralSchema } from '../structural/structural-schema.ts';
import { type DeclaredSize, declareSize, MOST_BYTES } from './cost/declared-size.ts';
import { declareType } from './declare.ts';
import { type BadRule, type CompiledRule, compileRule } from './rule.ts';
import type { CelType } from './types.ts';

/** The rules of a schema node, and of all nodes below it; branches without rules are left out. */
export interface RuleTree {
  readonly schema: StructuralSchema;
  /** The type that rules see; nothing when this node has none. */
  readonly type: CelType | undefined;
  readonly rules: readonly (CompiledRule | BadRule)[];
  /** Upper bound of the number of values in one object that the rules of this node are about. */
  readonly cardinality: number;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

const UNKNOWN_TYPE = 'failed to convert to declType for CEL validation rules';
const NO_OLD_VALUE = 'oldSelf cannot be used on the uncorrelatable portion of the schema';

interface NodeOptions {
  readonly isResource: boolean;
  /** True if the old value for a rule can be found: not so in most lists. */
  readonly hasOld: boolean;
  /** Upper bound of the number of values of this node; undefined if no schema above sets a limit. */
  readonly cardinality: number | undefined;
}

const compileOwn = (
  schema: StructuralSchema,
  { isResource, hasOld, cardinality }: NodeOptions,
): Pick<RuleTree, 'type' | 'rules' | 'cardinality'> => {
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => rule.trim() !== '');
  const type = rules.length === 0 ? undefined : declareType(schema, isResource);
  const size = rules.length === 0 ? undefined : declareSize(schema, isResource);
  const compiled = rules.map((rule): CompiledRule | BadRule => {
    if (type === undefined) {
      return { rule, problems: [{ part: 'rule', detail: UNKNOWN_TYPE }], costs: {} };
    }
    const result = compileRule(rule, schema, type, size);
    return 'test' in result && result.isTransition && !hasOld
      ? { rule, problems: [{ part: 'rule', detail: NO_OLD_VALUE }], costs: result.costs }
      : result;
  });
  return { type, rules: compiled, cardinality: cardinality ?? mostFitting(size) };
};

/** Upper bound of the number of values in one object, with a comma after each. */
const mostFitting = (size: DeclaredSize | undefined): number =>
  Math.floor(MOST_BYTES / ((size?.leastBytes ?? 0) + 1));

/** Upper bound of the children of a value for each of its child schemas; undefined without a limit. */
const mostChildren = (schema: StructuralSchema): number | undefined => {
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  if (!isMap && schema.type !== 'array') return 1;
  const limit = isMap ? schema.maxProperties : schema.maxItems;
  return limit === undefined ? undefined : Math.max(0, limit);
};

const compileNode = (schema: StructuralSchema, options: NodeOptions): RuleTree | undefined => {
  const children = mostChildren(schema);
  const cardinality =
    options.cardinality === undefined || children === undefined
      ? undefined
      : options.cardinality * children;
  const below = (node: StructuralSchema, hasOld = options.hasOld): RuleTree | undefined => {
    const isResource = node['x-kubernetes-embedded-resource'] ?? false;
    return compileNode(node, { isResource, hasOld, cardinality });
  };
  const { items, additionalProperties } = schema;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const own = compileOwn(schema, options);
  const itemTree = items && below(items, options.hasOld && isMap);
  const additional =
    typeof additionalProperties === 'object' ? below(additionalProperties) : undefined;
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const tree = below(property);
    if (tree !== undefined) properties.set(name, tree);
  }
  const isEmpty = own.rules.length === 0 && properties.size === 0 && !additional && !itemTree;
  return isEmpty ? undefined : { schema, ...own, properties, additional, items: itemTree };
};

/** Compiles all rules of the schema of a whole object; nothing when it has none. */
export const compileRules = (schema: StructuralSchema): RuleTree | undefined =>
  compileNode(schema, { isResource: true, hasOld: true, cardinality: 1 });
