import { map, object, string } from '@perigee/schema/structural/builder';
import { check, optional } from '@perigee/schema/structural/schema';

const directory = () =>
  check(
    string('The directory that it is in, within the dataset that is worked on.', {
      maxLength: 4096,
    }),
    {
      rule: "!self.matches('(^|/)[.][.](/|$)')",
      message: 'must not lead out of the dataset: leave out the steps ..',
    },
  );

/** Schema of a product of a DataProcess. */
export const product = () =>
  check(
    object('One thing that it makes: a Dataset or a DataSource.', {
      dataset: optional(
        object('A Dataset of the same namespace.', {
          name: check(string('Its name.', { minLength: 1, maxLength: 63 }), {
            rule: "self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
            message: 'must be lower-case letters, digits and dashes, and begin with a letter',
          }),
          path: optional(directory()),
        }),
      ),
      dataSource: optional(
        object('A DataSource, which claims can ask for.', {
          name: optional(
            check(
              string('Its name; made from the rest when left out.', {
                minLength: 1,
                maxLength: 253,
              }),
              {
                rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
                message: 'must be lower-case letters, digits, dashes and dots',
              },
              {
                rule: "!self.startsWith('fluid-dataset.')",
                message: 'such names are those of Datasets: produce a dataset instead',
              },
            ),
          ),
          system: string('The data system.', { minLength: 1, maxLength: 253 }),
          type: string('The category of data.', { minLength: 1, maxLength: 253 }),
          dataName: optional(
            string('The data itself, by its name in the system.', {
              minLength: 1,
              maxLength: 1024,
            }),
          ),
          attributes: optional(map('Its attributes.', string('The value.'), { maxProperties: 64 })),
        }),
      ),
      path: optional(directory()),
    }),
    {
      rule: 'has(self.dataset) != has(self.dataSource)',
      message: 'give exactly one of dataset and dataSource',
    },
  );
