// What does Netron read in our files? Run by test_tools_read_them: node netron_side.mjs FOLDER FILE... prints JSON.
// FOLDER is that of the Python package netron, whose reader is JavaScript. This file is the host that the reader asks
// for modules, files and messages; nothing is drawn.

import * as fs from "node:fs/promises";
import * as path from "node:path";
import {pathToFileURL} from "node:url";

const [folder, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, name)));
const base = await load("base.js");
const view = await load("view.js");
const errors = [];

const host = {
  type: "Test",
  environment: () => null,
  event: () => {},
  message: () => {},
  error: (error) => errors.push(String(error)),
  require: (id) => load(`${id}.js`),
  asset: (file) => fs.readFile(path.join(folder, file), "utf-8"),
};

const contextOf = async (file) => ({
  identifier: path.basename(file),
  stream: new base.BinaryStream(new Uint8Array(await fs.readFile(file))),
  entries: new Map(),
  require: host.require,
  asset: host.asset,
  error: host.error,
  fetch: async (name) => { throw new Error(`the file ${name} was asked for`); },
});

const numbers = (tensor) => {
  try {
    return {type: String(tensor.type), values: new base.Tensor(tensor).value};
  } catch (error) {
    return {error: String(error)};
  }
};

const replacer = (_, value) => (typeof value === "bigint" ? Number(value) : value);
const service = new view.ModelFactoryService(host);
const found = [];
for (const file of files) {
  const model = await service.open(await contextOf(file));
  const graphs = model.modules ?? model.graphs;
  const nodes = [];
  const constants = {};
  for (const graph of graphs) {
    for (const node of graph.nodes) {
      nodes.push({
        name: node.name,
        type: node.type.name,
        inputs: node.inputs.flatMap((argument) => argument.value.map((value) => value.name)),
        outputs: node.outputs.flatMap((argument) => argument.value.map((value) => value.name)),
      });
      for (const argument of node.inputs) {
        for (const value of argument.value) {
          if (value.initializer) {
            constants[value.name] = numbers(value.initializer);
          }
        }
      }
    }
  }
  found.push({format: model.format, nodes, constants});
}
console.log(JSON.stringify({found, errors}, replacer));
