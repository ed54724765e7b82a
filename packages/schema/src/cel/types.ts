/** The types of CEL that need no parameter. */
type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'dyn';

/** Identity of lists: the order of the elements, the set of them, or the elements by their keys. */
export type ListIdentity = 'order' | 'set' | readonly string[];

export interface ListType {
  readonly kind: 'list';
  readonly item: CelType;
  readonly identity: ListIdentity;
}

export interface ObjectField {
  /** The name in JSON; in CEL it may have to be escaped. */
  readonly name: string;
  readonly type: CelType;
}

export interface ObjectType {
  readonly kind: 'object';
  /** By the name that the field has in CEL. */
  readonly fields: ReadonlyMap<string, ObjectField>;
}

/** The type of an expression. `dyn` is checked when the expression runs. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'optional'; readonly of: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | ListType
  | ObjectType;

export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const UINT: CelType = { kind: 'uint' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const BYTES: CelType = { kind: 'bytes' };
export const NULL: CelType = { kind: 'null' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const TYPE: CelType = { kind: 'type' };
export const DYN: CelType = { kind: 'dyn' };

export const listOf = (item: CelType, identity: ListIdentity = 'order'): ListType => ({
  kind: 'list',
  item,
  identity,
});
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const optionalOf = (of: CelType): CelType => ({ kind: 'optional', of });
/** Kubernetes' own types, by the names that signatures use for them, with the names that errors show. */
const OPAQUE_NAMES: { readonly [name: string]: string } = {
  Quantity: 'kubernetes.Quantity',
  URL: 'kubernetes.URL',
  Semver: 'kubernetes.Semver',
  Format: 'kubernetes.NamedFormat',
  IP: 'net.IP',
  CIDR: 'net.CIDR',
  Authorizer: 'kubernetes.authorization.Authorizer',
  PathCheck: 'kubernetes.authorization.PathCheck',
  GroupCheck: 'kubernetes.authorization.GroupCheck',
  ResourceCheck: 'kubernetes.authorization.ResourceCheck',
  Decision: 'kubernetes.authorization.Decision',
};

export const opaque = (name: string): CelType => ({
  kind: 'opaque',
  name: OPAQUE_NAMES[name] ?? name,
});

/** The type in the words of CEL's own error messages. */
export const typeText = (type: CelType): string => {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.of)})`;
    case 'opaque':
    case 'param':
      return type.name;
    default:
      return type.kind;
  }
};

/** Types that the type parameters of an overload are bound to. */
export type Bindings = Map<string, CelType>;

/** Types for which null may stand. */
const takesNull = ({ kind }: CelType): boolean =>
  kind === 'object' || kind === 'opaque' || kind === 'timestamp' || kind === 'duration';

const bind = (name: string, argument: CelType, bindings: Bindings): boolean => {
  const boundType = bindings.get(name);
  if (boundType === undefined || boundType.kind === 'param') {
    bindings.set(name, argument);
    return true;
  }
  if (accepts(boundType, argument, bindings)) return true;
  if (!accepts(argument, boundType, bindings)) return false;
  bindings.set(name, argument);
  return true;
};

/**
 * True if a value of the given type may stand where the wanted type is asked for. What is dynamic may
 * stand anywhere, since it is checked again later; parameters of the wanted type are bound.
 */
export const accepts = (
  parameterType: CelType,
  argumentType: CelType,
  bindings: Bindings = new Map(),
): boolean => {
  if (
    parameterType === argumentType ||
    argumentType.kind === 'dyn' ||
    argumentType.kind === 'param'
  )
    return true;
  switch (parameterType.kind) {
    case 'dyn':
      return true;
    case 'param':
      return bind(parameterType.name, argumentType, bindings);
    case 'list':
      return (
        argumentType.kind === 'list' && accepts(parameterType.item, argumentType.item, bindings)
      );
    case 'map':
      return (
        argumentType.kind === 'map' &&
        accepts(parameterType.key, argumentType.key, bindings) &&
        accepts(parameterType.value, argumentType.value, bindings)
      );
    case 'optional':
      return (
        argumentType.kind === 'optional' && accepts(parameterType.of, argumentType.of, bindings)
      );
    case 'opaque':
      return (
        (argumentType.kind === 'opaque' && argumentType.name === parameterType.name) ||
        argumentType.kind === 'null'
      );
    case 'object':
      return (
        argumentType.kind === 'null' ||
        (argumentType.kind === 'object' && argumentType.fields === parameterType.fields)
      );
    default:
      return (
        parameterType.kind === argumentType.kind ||
        (argumentType.kind === 'null' && takesNull(parameterType))
      );
  }
};

/** The type with its parameters replaced by what they stand for; by anything, if that is unknown. */
export const substitute = (type: CelType, bindings: Bindings): CelType => {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(substitute(type.item, bindings), type.identity);
    case 'map':
      return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
    case 'optional':
      return optionalOf(substitute(type.of, bindings));
    default:
      return type;
  }
};

/** The type of either of two expressions; nothing when no type covers both. */
export const commonType = (a: CelType, b: CelType): CelType | undefined => {
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (accepts(a, b)) return a;
  return accepts(b, a) ? b : undefined;
};
