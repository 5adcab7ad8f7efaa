export { openWorkflow, type OpenWorkflowEngine, type OpenWorkflowOptions } from './open-workflow.js';
