//! Compiled shaders: those that were used last are kept in memory.

use crate::context::Context;
use crate::error::GpuError;
use cotangent_core::backend::Site;
use cotangent_shaders::Shader;
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many are kept: more than the shaders of all programs of a process, unless it makes ever new ones.
const KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4095);

/// A compiled shader, and how its memory is bound.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// What things that belong to a shader are called by debuggers: the operation and the user's line. Shaders of one
/// source are one, and bear the name of the first.
pub(crate) fn label(origin: Site) -> String {
    format!("cotangent: {origin}")
}

/// Compiled shaders by their source.
#[derive(Debug)]
pub(crate) struct Pipelines(Mutex<LruCache<String, Pipeline>>);

impl Default for Pipelines {
    fn default() -> Self {
        Self::keeping(KEPT)
    }
}

impl Pipelines {
    /// So many of them.
    pub fn keeping(count: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(count)))
    }

    fn all(&self) -> MutexGuard<'_, LruCache<String, Pipeline>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept.
    #[cfg(test)]
    pub fn sources(&self) -> Vec<String> {
        self.all()
            .iter()
            .map(|(source, _)| source.clone())
            .collect()
    }
}

impl Context {
    /// The compiled shader.
    pub fn pipeline(&self, shader: &Shader) -> Result<Pipeline, GpuError> {
        if let Some(pipeline) = self.pipelines.all().get(&shader.source) {
            return Ok(pipeline.clone());
        }
        let compiled = self.scoped(|| self.compiled(shader));
        let compiled = compiled.map_err(|reason| self.cause(GpuError::Shader { reason }))?;
        let mut all = self.pipelines.all();
        all.put(shader.source.clone(), compiled.clone());
        self.cache.iter().for_each(|cache| cache.grow());
        Ok(compiled)
    }

    fn compiled(&self, shader: &Shader) -> Pipeline {
        let label = label(shader.origin);
        let label = Some(label.as_str());
        let description = wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(shader.source.as_str().into()),
        };
        let mut checks = wgpu::ShaderRuntimeChecks::checked();
        checks.force_loop_bounding = false;
        // SAFETY: what is not checked is whether loops end. Those of our shaders count up to a bound, or exchange a value
        // until nobody else has come between. Indices are checked, as ever.
        let module = unsafe {
            self.device
                .create_shader_module_trusted(description, checks)
        };
        let layout = self.layout(shader, label);
        let whole = self
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
        let descriptor = wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&whole),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Shaders write it before they read it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: self.cache.as_ref().map(|kept| &kept.cache),
        };
        let pipeline = self.device.create_compute_pipeline(&descriptor);
        Pipeline { pipeline, layout }
    }

    fn layout(&self, shader: &Shader, label: Option<&str>) -> wgpu::BindGroupLayout {
        let storage = |written: &bool| wgpu::BufferBindingType::Storage {
            read_only: !written,
        };
        let parameters = match shader.has_uniform() {
            true => wgpu::BufferBindingType::Uniform,
            false => storage(&false),
        };
        let entry = |(binding, ty): (u32, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let buffers = shader.buffers();
        let types = [parameters].into_iter().chain(buffers.iter().map(storage));
        let entries: Vec<_> = (0..).zip(types).map(entry).collect();
        self.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label,
                entries: &entries,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::loc::Loc;

    #[test]
    fn labels_name_operation_and_line() {
        let (construct, loc) = ("fold", Loc::caller());
        let label = label(Site { construct, loc });
        assert!(label.starts_with("cotangent: `fold` at "), "{label}");
        assert!(label.contains("pipelines.rs:"), "{label}");
    }
}
