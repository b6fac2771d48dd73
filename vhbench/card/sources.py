"""What the card says about benchmarks and sources: papers, licences, limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Where images, words or annotations come from."""

    title: str
    licence: str
    url: str
    bibtex: str = ""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One of the three published protocols."""

    title: str
    asks: str
    built: str
    limits: tuple[str, ...]
    bibtex: str


BENCHMARKS: dict[str, Benchmark] = {
    "ode": Benchmark(
        title="ODE: open-set evaluation of hallucinations",
        asks="Does the model see what is there, in scenes that no training set holds?",
        built="Pairs of concepts are drawn from a graph of co-occurrences by four criteria (standard, long-tail, "
        "random, fictional); each pair becomes a new image; questions ask for a caption, for existence and for "
        "attributes.",
        limits=(
            "Drawn images are not photographs: a model may be better or worse on them than on photos.",
            "Captions are judged within the categories whose presence and absence are known.",
        ),
        bibtex="""@inproceedings{tu2025ode,
  title     = {{ODE}: Open-Set Evaluation of Hallucinations in Multimodal Large Language Models},
  author    = {Tu, Yahan and Hu, Rui and Sang, Jitao},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2025},
  note      = {arXiv:2409.09318}
}""",
    ),
    "mioh": Benchmark(
        title="MIOH: fine-grained multi-image object hallucination",
        asks="Can the model keep objects apart over several images?",
        built="Four object tasks in three modes of reasoning give 26 types of questions over several images, asked "
        "under three pressures: number of images, hard positives, hard negatives.",
        limits=("Where annotations name objects only partly, negative questions stay within what is annotated.",),
        bibtex="""@inproceedings{min2026mioh,
  title     = {Fine-Grained Multi Image Object Hallucination Benchmark},
  author    = {Min, Joonki and Kim, Chaeyun and Choi, Hyungwook and Kim, Yejin and Kim, Kihyun and Jo, Yohan and
               Lee, Joonseok},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2026},
  note      = {arXiv:2608.30653}
}""",
    ),
    "vhexpansion": Benchmark(
        title="VHExpansion: automatically expanded visual hallucination tests",
        asks="Does a right answer survive negation and a slightly changed image?",
        built="Each test case is expanded by its negated twin, by common perturbations of the image, and by "
        "adversarial ones; symmetric accuracy counts a pair only if both answers are right.",
        limits=("Labels of the original test cases are taken as they are.",),
        bibtex="""@article{liu2024vhexpansion,
  title   = {Automatically Generating Visual Hallucination Test Cases for Multimodal Large Language Models},
  author  = {Liu, Zhongye and Liu, Hongbin and Hu, Yuepeng and Shao, Zedian and Gong, Neil Zhenqiang},
  journal = {arXiv preprint arXiv:2410.11242},
  year    = {2024}
}""",
    ),
}

_COCO = """@inproceedings{lin2014coco,
  title     = {Microsoft {COCO}: Common Objects in Context},
  author    = {Lin, Tsung-Yi and Maire, Michael and Belongie, Serge and Hays, James and Perona, Pietro and
               Ramanan, Deva and Doll{\\'a}r, Piotr and Zitnick, C. Lawrence},
  booktitle = {European Conference on Computer Vision (ECCV)},
  year      = {2014}
}"""

_COCO_LICENCE = "annotations CC BY 4.0; images under Flickr's terms of use, each under its own licence"

SOURCES: dict[str, Source] = {
    "scenes": Source("drawings that ship with vhbench", "Apache-2.0", ""),
    "ode": Source("a split of ODE", "that of its images; drawings: Apache-2.0", "", BENCHMARKS["ode"].bibtex),
    "coco": Source("COCO", _COCO_LICENCE, "https://cocodataset.org", _COCO),
    "paco": Source(
        "PACO",
        f"annotations MIT; images from COCO: {_COCO_LICENCE}",
        "https://github.com/facebookresearch/paco",
        """@inproceedings{ramanathan2023paco,
  title     = {{PACO}: Parts and Attributes of Common Objects},
  author    = {Ramanathan, Vignesh and Kalia, Anmol and Petrovic, Vladan and Wen, Yi and Zheng, Baixue and
               Guo, Baishan and Wang, Rui and Marquez, Aaron and Kovvuri, Rama and Kadian, Abhishek and
               Mousavi, Amir and Song, Yiwen and Dubey, Abhimanyu and Mahajan, Dhruv},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2023}
}""",
    ),
    "svg": Source(
        "Synthetic Visual Genome",
        "annotations: no licence was found, ask their authors; images under their own licences",
        "https://synthetic-visual-genome.github.io",
        """@inproceedings{park2025svg,
  title     = {Synthetic Visual Genome},
  author    = {Park, Jae Sung and Ma, Zixian and Li, Linjie and Zheng, Chenhao and Hsieh, Cheng-Yu and Lu, Ximing and
               Chandu, Khyathi and Kong, Quan and Kobori, Norimasa and Farhadi, Ali and Choi, Yejin and
               Krishna, Ranjay},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2025}
}""",
    ),
    "pope": Source(
        "POPE",
        f"questions MIT; images from COCO: {_COCO_LICENCE}",
        "https://github.com/AoiDragon/POPE",
        """@inproceedings{li2023pope,
  title     = {Evaluating Object Hallucination in Large Vision-Language Models},
  author    = {Li, Yifan and Du, Yifan and Zhou, Kun and Wang, Jinpeng and Zhao, Wayne Xin and Wen, Ji-Rong},
  booktitle = {Proceedings of the Conference on Empirical Methods in Natural Language Processing (EMNLP)},
  year      = {2023}
}""",
    ),
    "mmvp": Source(
        "MMVP",
        "MIT, as its repository says of the project (https://github.com/tsb0601/MMVP); of the images nothing is said",
        "https://huggingface.co/datasets/MMVP/MMVP",
        """@inproceedings{tong2024mmvp,
  title     = {Eyes Wide Shut? Exploring the Visual Shortcomings of Multimodal {LLMs}},
  author    = {Tong, Shengbang and Liu, Zhuang and Zhai, Yuexiang and Ma, Yi and LeCun, Yann and Xie, Saining},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2024}
}""",
    ),
    "vhtest": Source(
        "VHTest",
        "questions MIT; images under their own licences",
        "https://github.com/wenhuang2000/VHTest",
        """@inproceedings{huang2024vhtest,
  title     = {Visual Hallucinations of Multi-modal Large Language Models},
  author    = {Huang, Wen and Liu, Hongbin and Guo, Minxin and Gong, Neil Zhenqiang},
  booktitle = {Findings of the Association for Computational Linguistics (ACL)},
  year      = {2024}
}""",
    ),
    "amber": Source(
        "AMBER",
        "Apache-2.0",
        "https://github.com/junyangwang0410/AMBER",
        """@article{wang2023amber,
  title   = {{AMBER}: An {LLM}-free Multi-dimensional Benchmark for {MLLMs} Hallucination Evaluation},
  author  = {Wang, Junyang and Wang, Yuhang and Xu, Guohai and Zhang, Jing and Gu, Yukai and Jia, Haitao and
             Wang, Jiaqi and Xu, Haiyang and Yan, Ming and Zhang, Ji and Sang, Jitao},
  journal = {arXiv preprint arXiv:2311.07397},
  year    = {2023}
}""",
    ),
}


def source(name: str) -> Source:
    """Return what is known about a source; of an unknown one, its name."""
    known = SOURCES.get(name) or SOURCES.get(name.partition(":")[0].lower())
    return known or Source(name, "not known to vhbench: ask whoever built this", "")
