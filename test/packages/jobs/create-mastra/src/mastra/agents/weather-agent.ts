import { Agent } from '@mastra/core/agent';
import { Memory } from '@mastra/memory';
import { weatherTool } from '../tools/weather-tool';

export const weatherAgent = new Agent({
  id: 'weather-agent',
  name: 'Weather Agent',
  instructions: `
      You are a helpful weather assistant that provides accurate weather information and can help planning activities based on the weather.

      Use the weatherTool to fetch current weather data.
`,
  model: 'openai/gpt-5-mini',
  tools: { weatherTool },
  memory: new Memory(),
});
