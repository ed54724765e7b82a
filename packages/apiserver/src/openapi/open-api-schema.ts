import type { JsonValue } from '@perigee/schema/json';

/** A schema of OpenAPI 3.0, which may refer to others. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: OpenApiSchema };
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly anyOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly not?: OpenApiSchema;
  readonly [keyword: string]:
    | JsonValue
    | OpenApiSchema
    | readonly OpenApiSchema[]
    | undefined
    | object;
}

export interface OpenApiSchemas {
  readonly [name: string]: OpenApiSchema;
}

export const refTo = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` });

/** OpenAPI 3.0 ignores what stands beside a reference, hence the detour by `allOf`. */
export const describedRef = (name: string, description: string): OpenApiSchema => ({
  description,
  allOf: [refTo(name)],
});
