//! Devices and precisions by name, and what happens where there is no GPU to be had.

use treeline_nets::device::{Device, Precision};

#[test]
fn names_are_read_and_written() {
    let devices = [
        ("auto", Device::Auto),
        ("cpu", Device::Cpu),
        ("cuda:0", Device::Cuda(0)),
        ("cuda:12", Device::Cuda(12)),
    ];
    for (text, device) in devices {
        assert_eq!(text.parse(), Ok(device));
        assert_eq!(device.to_string(), text);
    }
    for text in [
        "",
        "gpu",
        "CPU",
        "cuda",
        "cuda:",
        "cuda:-1",
        "cuda:+1",
        "cuda:1 ",
        "cuda:99999999999999999999",
        "cpu:0",
        "auto:0",
    ] {
        let error = text.parse::<Device>().unwrap_err().to_string();
        assert!(
            error.contains(&format!("{text:?}")) && error.contains("auto, cpu or cuda:N"),
            "{error}"
        );
    }
    for (text, precision) in [
        ("f32", Precision::F32),
        ("bf16", Precision::Bf16),
        ("f16", Precision::F16),
    ] {
        assert_eq!(text.parse(), Ok(precision));
        assert_eq!(precision.to_string(), text);
    }
    let error = "fp16".parse::<Precision>().unwrap_err().to_string();
    assert_eq!(error, "precision \"fp16\": f32, bf16 or f16 expected");
}

#[test]
fn without_libtorch_a_gpu_is_declined_in_a_sentence() {
    use treeline_nets::arch::{self, Network};
    use treeline_nets::file::Shape;
    use treeline_nets::reference::Reference;

    let file = arch::random("cnet(4,5)", &Shape::planes(2, 6, 6, 0), 1).unwrap();
    let Network::Planes { plan, weights, .. } = Network::load(file).unwrap() else {
        panic!("planes expected");
    };
    let cpu = Reference::new(&plan, &weights);
    let input: Vec<f32> = (0..plan.input().len()).map(|at| (at % 2) as f32).collect();
    let expected = cpu.forward(&input).0 as f32;
    let without = "cuda:1: this program was built without libtorch (cargo's feature torch); the network runs on the CPU";
    let rounded = format!("{without}, in f32");
    for (device, precision, notice) in [
        (Device::Cuda(1), Precision::F32, Some(without)),
        (Device::Cuda(1), Precision::Bf16, Some(&rounded[..])),
        (Device::Auto, Precision::F32, None),
        (Device::Cpu, Precision::F32, None),
        (
            Device::Auto,
            Precision::Bf16,
            Some("precision bf16 is for GPUs; the CPU computes in f32"),
        ),
        (
            Device::Cpu,
            Precision::F16,
            Some("precision f16 is for GPUs; the CPU computes in f32"),
        ),
    ] {
        let mut opened = device.open(precision, &plan, &weights, Box::new(cpu.clone()));
        assert_eq!(opened.notice.as_deref(), notice);
        assert_eq!(opened.place, "cpu");
        let mut value = [0.0];
        opened.runner.run(&input, &mut value, None);
        assert_eq!(value[0], expected);
    }
}
