// Peers of packages that run, which only their types, generators and other uses ask for: pnpm would install them with the
// packages that run, because tests have them.
const unused = /^(prisma|typescript|fastify|@types\/.+)$/;

module.exports = {
  hooks: {
    readPackage(manifest) {
      for (const kind of ['peerDependencies', 'peerDependenciesMeta'])
        for (const name of Object.keys(manifest[kind] ?? {}))
          if (unused.test(name)) delete manifest[kind][name];
      return manifest;
    },
  },
};
