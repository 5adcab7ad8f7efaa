import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

const planActivities = createStep({
  id: 'plan-activities',
  description: 'Suggests activities based on weather conditions',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ activities: z.string() }),
  execute: async ({ inputData, mastra }) => {
    const agent = mastra?.getAgent('weatherAgent');
    if (!agent) {
      throw new Error('Weather agent not found');
    }
    const response = await agent.stream([{ role: 'user', content: `Suggest activities in ${inputData.city}.` }]);
    let activitiesText = '';
    for await (const chunk of response.textStream) {
      process.stdout.write(chunk);
      activitiesText += chunk;
    }
    return { activities: activitiesText };
  },
});

const weatherWorkflow = createWorkflow({
  id: 'weather-workflow',
  inputSchema: z.object({ city: z.string().describe('The city to get the weather for') }),
  outputSchema: z.object({ activities: z.string() }),
}).then(planActivities);

weatherWorkflow.commit();

export { weatherWorkflow };
