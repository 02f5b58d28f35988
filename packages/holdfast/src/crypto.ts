/**
 * node:crypto, loaded when it is first used: loading it takes a third of what an import of everything else does, and by then the client has
 * loaded it for its own use.
 */
export const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');
