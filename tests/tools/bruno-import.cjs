// node bruno-import.cjs <collection.json> <folder>: imports a collection as the app of Bruno does. It numbers the parts,
// checks them by its schema, and writes them as a folder. Its CLI has the schema and the writer, and no command for them.
const { readFileSync } = require('node:fs');
const { createCollectionFromBrunoObject } = require('@usebruno/cli/src/utils/collection.js');
const { collectionSchema } = require('@usebruno/schema');

let count = 0;
const uid = () => String(++count).padStart(21, '0');
const numbered = (parts = []) => parts.map((part) => ({ uid: uid(), ...part }));
const itemOf = (item, index) => ({
  ...{ uid: uid(), ...item },
  ...(item.items && { items: item.items.map(itemOf) }),
  ...(item.request && {
    seq: index + 1,
    request: {
      ...item.request,
      headers: numbered(item.request.headers),
      params: numbered(item.request.params),
      assertions: numbered(item.request.assertions),
    },
  }),
});

const [, , source, folder] = process.argv;
const found = JSON.parse(readFileSync(source, 'utf8'));
const collection = {
  ...{ uid: uid(), ...found },
  items: found.items.map(itemOf),
  environments: numbered(found.environments).map((each) => ({
    ...each,
    variables: numbered(each.variables),
  })),
};
collectionSchema
  .validate(collection)
  .then(() => createCollectionFromBrunoObject(collection, folder))
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
