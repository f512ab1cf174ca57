export { createNodeFront, type NodeFront } from './front/node.ts';
